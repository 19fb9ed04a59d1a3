"""Home and Memory (bugs 50, 57, 78, 81, 82)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import jobs
from retrieval.errors import StoreLockedError
from tests.pages.conftest import ROOT, page, settled, shown
from tests.world import World


def test_home_shows_what_the_memory_holds_and_offers_questions(made: World) -> None:
    made.dataset()
    app = page()
    assert not app.exception
    assert ":material/check_circle: Ready" in shown(app)
    assert [m.value for m in app.metric][:2] == ["3", "3"]
    assert [b for b in app.button if b.label.startswith("What is known about")]


def test_home_without_anything_leads_to_memory(made: World) -> None:
    app = page()
    assert not app.exception
    assert not app.button


def test_bug_50_data_that_is_open_elsewhere_is_told(made: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked() -> None:
        raise StoreLockedError("The data is open in another running app (x). Close that app.")

    monkeypatch.setattr("components.resources.build_engine", locked)
    st.cache_resource.clear()
    for name in ("", "ask", "memory"):
        app = page(name)
        assert not app.exception
        assert "open in another running app" in shown(app)


def test_a_dataset_is_made_named_and_deleted_with_its_name_typed(made: World) -> None:
    app = page("memory")
    app.text_input(key="dataset_new_name").set_value("Plans & <b>bold</b>")
    next(b for b in app.button if b.label == "Create").click().run()
    assert not app.exception
    [dataset] = made.engine.datasets("local")
    assert dataset.name == "Plans & <b>bold</b>"
    delete = app.button(key="dataset_delete")
    assert delete.disabled
    app.text_input(key="dataset_delete_name").set_value(dataset.name).run()
    app.button(key="dataset_delete").click().run()
    assert made.engine.datasets("local") == []


def test_pasted_text_is_added_processed_and_listed(made: World) -> None:
    made.engine.create_dataset("local", "notes")
    app = page("memory")
    app.text_area(key="text_body:0").set_value("Zoe knows Alice. Alice works at Acme.").run()
    settled(app.button(key="add_text").click().run())
    assert not app.exception
    [dataset] = made.engine.datasets("local")
    [document] = made.engine.documents("local", dataset.id)
    assert document.status == "done"
    labels = [e.label for e in app.expander]
    assert any("3 entities" in label for label in labels)


def test_what_waits_can_be_processed_and_problems_are_named(made: World) -> None:
    dataset = made.engine.create_dataset("local", "notes")
    made.engine.add("local", dataset.id, "good.txt", b"Zoe knows Alice.")
    made.engine.add("local", dataset.id, "bad.txt", b"  ")
    app = page("memory")
    assert "2 documents wait" in shown(app)
    settled(app.button(key="resume").click().run())
    assert not app.exception
    assert "contains no text" in shown(app)
    assert {d.status for d in made.engine.documents("local", dataset.id)} == {"done", "failed"}


def test_a_document_is_previewed_and_deleted(made: World) -> None:
    dataset = made.dataset()
    app = page("memory")
    document = made.engine.documents("local", dataset.id)[0]
    app.toggle(key=f"document:{document.id}:preview").set_value(True).run()
    assert "Passage 1" in shown(app)
    app.button(key=f"document:{document.id}:delete").click().run()
    assert not app.exception
    assert len(made.engine.documents("local", dataset.id)) == 2


def test_names_are_literal(made: World) -> None:
    made.dataset("odd", {"**bold** $x$ :smile: <script>.md": "Alice knows Bob."})
    app = page("memory")
    assert any("\\*\\*bold\\*\\* \\$x\\$ \\:smile\\: \\<script\\>" in e.label for e in app.expander)


HEAVY = ("litellm", "lancedb", "kuzu", "spacy", "onnxruntime", "sqlalchemy")


def test_f11_importing_the_pages_imports_no_database_and_no_model() -> None:
    code = (
        "import sys; import app, components.asking, components.panels, components.documents, components.ingest_panel\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_page_of_the_frame_exists() -> None:
    from components.frame import PAGES

    assert {path for path, _, _ in PAGES} == {"app.py"} | {
        f"pages/{f.name}" for f in (Path(ROOT) / "pages").glob("*.py")
    }


def upload(app: AppTest, name: str, data: bytes) -> AppTest:
    """Give the form one file and press the button."""
    [uploader] = app.get("file_uploader")
    uploader.upload(name, data, "text/plain")
    app.run()
    app.button(key="add_files").click().run()
    return settled(app) if jobs.known() else app


@pytest.mark.parametrize(("choice", "left"), [("replace", 1), ("both", 2), ("leave", 1)])
def test_bug_81_a_taken_name_asks_whether_to_replace_or_keep_both(made: World, choice: str, left: int) -> None:
    dataset = made.engine.create_dataset("local", "notes")
    app = upload(page("memory"), "a.txt", b"Zoe knows Alice.")
    [first] = made.engine.documents("local", dataset.id)
    upload(app, "a.txt", b"Zoe knows Bob.")
    assert not app.exception
    assert "is there already with other content" in shown(app)
    assert made.engine.documents("local", dataset.id) == [first]
    settled(app.button(key=f"taken:0:{choice}").click().run())
    assert not app.exception
    assert "is there already" not in shown(app)
    documents = made.engine.documents("local", dataset.id)
    assert (len(documents), {d.status for d in documents}) == (left, {"done"})
    assert (first in documents) is (choice != "replace")


def test_bug_81_the_same_file_again_and_under_another_name_is_told(made: World) -> None:
    made.engine.create_dataset("local", "notes")
    app = upload(page("memory"), "a.txt", b"Zoe knows Alice.")
    assert "is already there" in shown(upload(app, "a.txt", b"Zoe knows Alice."))
    assert "has the same content as a\\.txt" in shown(upload(app, "b.txt", b"Zoe knows Alice."))
    assert "has the same content" not in shown(app.run())


def test_bug_81_pasted_text_asks_too(made: World) -> None:
    dataset = made.engine.create_dataset("local", "notes")
    made.engine.add("local", dataset.id, "plan", b"Zoe knows Alice.")
    app = page("memory")
    app.text_input(key="text_name:0").set_value("plan")
    app.text_area(key="text_body:0").set_value("Zoe knows Bob.").run()
    app.button(key="add_text").click().run()
    settled(app.button(key="taken:0:both").click().run())
    assert not app.exception
    assert [d.name for d in made.engine.documents("local", dataset.id)] == ["plan", "plan"]


@pytest.mark.parametrize(
    "name", ["файл.txt", "测试.txt", "Grüner_Baum.jpg.txt", "CON.txt", "🏆.md", "n" * 300 + ".txt"]
)
def test_bug_82_names_are_kept_as_text(made: World, name: str) -> None:
    made.engine.create_dataset("local", "notes")
    app = upload(page("memory"), name, b"Zoe knows Alice.")
    assert not app.exception
    [dataset] = made.engine.datasets("local")
    assert made.engine.documents("local", dataset.id)[0].name == name[:200]


def test_stray_files_in_the_data_folder_are_ignored(made: World) -> None:
    """Bug 83."""
    dataset = made.dataset()
    folder = made.engine.settings.data_folder / "datasets"
    (folder / "not-a-dataset").mkdir(parents=True)
    (folder / ".DS_Store").write_bytes(b"\0")
    made.engine.folder(dataset.id).mkdir(parents=True, exist_ok=True)
    (made.engine.folder(dataset.id) / ".DS_Store").write_bytes(b"\0")
    app = page("memory")
    assert not app.exception
    assert app.selectbox(key="memory_dataset").options == ["world"]


def test_the_report_of_a_file_is_told(made: World) -> None:
    made.dataset("world", {"a.md": "Alice knows Bob."})
    [label] = [e.label for e in page("memory").expander]
    assert "1 passage, 2 entities, 1 relation · " in label
