"""Questions."""
from collections.abc import Sequence
def statements(question, schema, graph, embedder) -> list[str]:
    return []
