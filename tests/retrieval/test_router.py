"""AC-Q: the ordered rules."""

from __future__ import annotations

import pytest

from retrieval.router import route

CASES = {
    "CHUNKS_LEXICAL": ['"polonium and radium"', '  "coding rules"  '],
    "CODING_RULES": [
        "What coding rules apply to error handling?",
        "Show me the code review guidelines",
        "Which programming standards do we follow?",
        "list our coding conventions in 2024",
    ],
    "TEMPORAL": [
        "what happened in 2019",
        "between 1910 and 1920",
        "from 2019 to 2021",
        "on 2024-03-01",
        "in July 1969",
        "on March 1, 2024",
        "on the 4th, before 1900",
        "after 2010",
        "in the 1990s",
        "in early 2024",
        "as of Jan 2025",
        "for 2031",
        "for March 2026",
        "Who led Estonia before 12 May 1992?",
        "since December 2001, what changed?",
        "What did Acme buy in 2015 at auction?",
    ],
    "HYBRID_COMPLETION": [
        "Summarise the 2019 report",
        "Open ticket 2048",
        "Error 1045 in the logs",
        "Q4 2024",
        "for 2000 users",
        "for 1500 guests",
        "table 2024_sales",
        "last year",
        "after the merger",
        "Who did the code review for PR 12?",
        "RETURN 1",
        "MATCH (n) RETURN n",
        "Find the exact phrase in the text",
        "tldr of the report",
        "Summarise it in 1500 words",
        'Who said "never again" and why?',
    ],
}


@pytest.mark.parametrize(("kind", "question"), [(kind, q) for kind, questions in CASES.items() for q in questions])
def test_a_question_goes_to_its_type_with_a_reason(kind: str, question: str) -> None:
    found = route(question)
    assert found.search_type == kind
    assert found.reason
