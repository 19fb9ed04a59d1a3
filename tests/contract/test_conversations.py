"""The Conversations contract over every store of records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from retrieval.adapters.record_values import Records
from retrieval.conversation import rendered
from retrieval.model import Feedback, Session
from tests.contract.record_stores import KINDS, at, in_threads, opened, turn


@pytest.fixture(params=KINDS)
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Records]:
    store = opened(request.param, tmp_path)
    yield store
    store.close()


def ids(records: Records, session: str = "s", user: str = "sam", last: int | None = None) -> list[str]:
    return [t.id for t in records.conversations.turns(user, session, last)]


# ------------------------------------------------------------------ turns


def test_a_turn_round_trips_whole(records: Records) -> None:
    full = turn(
        1,
        state="stopped",
        remembered=False,
        options={"top_k": 5, "datasets": None},
        node_ids=("b", "a"),
        edge_ids=("e",),
        milliseconds=12.75,
        payload={"triplets": [{"rank": 1, "matched": {"edge": True}}], "context": "Zoë 🚀\n"},
    )
    records.conversations.append(full)
    assert records.conversations.turns("sam", "s") == [full]
    assert records.conversations.turn("sam", "t1") == full


def test_turns_are_in_time_order_and_the_last_n_are_the_newest(records: Records) -> None:
    for number in (3, 1, 2):
        records.conversations.append(turn(number))
    assert ids(records) == ["t1", "t2", "t3"]
    assert ids(records, last=2) == ["t2", "t3"]
    assert ids(records, last=9) == ["t1", "t2", "t3"]
    assert ids(records, last=0) == ids(records, last=-1) == []


def test_turns_of_one_moment_keep_the_order_in_which_they_came(records: Records) -> None:
    for number in (9, 4, 7):
        records.conversations.append(turn(number, created_at=at(0)))
    records.conversations.append(turn(9, created_at=at(0), answer="again"))
    assert ids(records) == ["t9", "t4", "t7"]
    assert ids(records, last=1) == ["t7"]


def test_an_equal_id_replaces(records: Records) -> None:
    records.conversations.append(turn(1, answer="", state="running"))
    records.conversations.append(turn(1, answer="whole"))
    (known,) = records.conversations.turns("sam", "s")
    assert (known.answer, known.state) == ("whole", "done")
    assert records.conversations.sessions("sam")[0].turns == 1


def test_history_is_what_was_remembered_and_done(records: Records) -> None:
    records.conversations.append(turn(1))
    records.conversations.append(turn(2, state="failed"))
    for number in range(3, 15):
        records.conversations.append(turn(number, remembered=False, search_type="CHUNKS"))
    found = records.conversations.turns("sam", "s", 10, history=True)
    assert [t.id for t in found] == ["t1"]
    assert len(records.conversations.turns("sam", "s", 10)) == 10


def test_turns_carry_their_feedback(records: Records) -> None:
    records.conversations.append(turn(1))
    records.conversations.append(turn(2))
    rating = Feedback(4, "good", at(5))
    records.feedback.rate("sam", "t2", rating)
    assert [t.feedback for t in records.conversations.turns("sam", "s")] == [None, rating]
    known = records.conversations.turn("sam", "t2")
    assert known is not None
    assert known.feedback == rating
    records.conversations.append(turn(2, answer="longer"))
    assert records.conversations.turns("sam", "s")[1].feedback == rating


def test_a_turn_written_with_feedback_is_not_a_rating(records: Records) -> None:
    records.conversations.append(replace(turn(1), feedback=Feedback(5, "", at(1))))
    assert records.conversations.turns("sam", "s")[0].feedback is None


def test_payloads_are_valid_json_f12_and_clean_text(records: Records) -> None:
    odd = turn(1, question="\ud83d\ude00 \ud83d", payload={"score": float("nan"), "rows": [float("-inf"), "\udc00"]})
    records.conversations.append(odd)
    (known,) = records.conversations.turns("sam", "s")
    assert known.question == "😀 \ufffd"
    assert known.payload == {"score": None, "rows": [None, "\ufffd"]}
    assert records.conversations.sessions("sam", "\ud83d")[0].title == "😀 \ufffd"
    assert records.conversations.turn("sam", "\ud83d") is None


def test_times_are_aware_bug_38(records: Records) -> None:
    records.conversations.append(turn(1, created_at=at(1).replace(tzinfo=None)))
    (known,) = records.conversations.turns("sam", "s")
    (session,) = records.conversations.sessions("sam")
    assert known.created_at == session.created_at == session.updated_at == at(1)
    assert known.created_at.utcoffset() == session.updated_at.utcoffset() == timedelta(0)


# ------------------------------------------------------------------ one user never sees another's


def test_sessions_do_not_bleed_bug_97(records: Records) -> None:
    """Two sessions at the same moment, and two users with the same session and turn ids."""

    def talk(number: int) -> None:
        user, session = ("sam", "kim")[number % 2], ("A", "B")[number // 2 % 2]
        own, said = f"{session}{number // 4}", f"I am {user} in {session}"
        records.conversations.append(turn(number // 4, session, user, id=own, question=said))

    in_threads(talk, range(80))
    for user in ("sam", "kim"):
        for session in ("A", "B"):
            own = records.conversations.turns(user, session)
            assert len(own) == 20
            assert {t.question for t in own} == {f"I am {user} in {session}"}
            other = {"sam": "kim", "kim": "sam"}[user]
            assert f"I am {other}" not in rendered(own)
    assert records.conversations.turns("sam", "default_session") == []
    assert records.conversations.turns("lee", "A") == []
    assert records.conversations.sessions("lee") == []


def test_a_turn_of_another_user_can_not_be_read_renamed_or_deleted_bug_97(records: Records) -> None:
    records.conversations.append(turn(1))
    assert records.conversations.turn("kim", "t1") is None
    assert not records.conversations.rename_session("kim", "s", "mine")
    assert not records.conversations.delete_session("kim", "s")
    records.conversations.append(turn(1, user="kim", answer="overwritten?"))
    known = records.conversations.turn("sam", "t1")
    assert known is not None
    assert known.answer == "A1"


def test_a_rating_is_its_own_users_though_turn_ids_are_equal_bug_97(records: Records) -> None:
    for user in ("sam", "kim"):
        records.conversations.append(turn(1, user=user))
    records.feedback.rate("kim", "t1", Feedback(1, "mine", at(2)))
    assert [t.feedback for t in records.conversations.turns("sam", "s")] == [None]
    assert [t.feedback for t in records.conversations.turns("kim", "s")] == [Feedback(1, "mine", at(2))]
    assert [(t.user, t.id) for t, _ in records.feedback.ratings("d")] == [("kim", "t1")]


# ------------------------------------------------------------------ sessions


def test_sessions_are_ordered_by_last_use(records: Records) -> None:
    for number, session in enumerate(("old", "new", "old", "mid")):
        records.conversations.append(turn(number, session))
    records.conversations.append(turn(1, "new", answer="changed"))
    assert [s.id for s in records.conversations.sessions("sam")] == ["mid", "old", "new"]
    assert records.conversations.sessions("sam")[1] == Session("old", "sam", "Q0", at(0), at(2), 2, "Q2")


def test_a_late_write_does_not_make_a_session_older(records: Records) -> None:
    records.conversations.append(turn(5))
    records.conversations.append(turn(2))
    (session,) = records.conversations.sessions("sam")
    assert (session.updated_at, session.last_question) == (at(5), "Q5")


def test_a_title_is_one_line_of_bounded_length(records: Records) -> None:
    records.conversations.append(turn(1, question="  two\n\nlines " + "x" * 20_000))
    (session,) = records.conversations.sessions("sam")
    assert session.title.startswith("two lines xxx")
    assert len(session.title) == 200


def test_rename(records: Records) -> None:
    records.conversations.append(turn(1))
    assert records.conversations.rename_session("sam", "s", "My 🏆 'talk'")
    assert not records.conversations.rename_session("sam", "none", "x")
    records.conversations.append(turn(2))
    assert [s.title for s in records.conversations.sessions("sam")] == ["My 🏆 'talk'"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("berlin", ["answer"]),
        ("BERLIN", ["answer"]),
        ("strasse", ["question"]),
        ("МОСКВА", ["title"]),
        ("cafe\u0301", ["question"]),
        ("100%", ["percent"]),
        ("%", ["percent"]),
        ("_", ["underscore"]),
        ("a_b", ["underscore"]),
        ("\\", ["backslash"]),
        ("' OR 1=1 --", []),
        ("no such thing", []),
        ("  Berlin \n", ["answer"]),
        ("x" * 60_000, []),
    ],
)
def test_search_is_literal_and_ignores_case(records: Records, text: str, found: list[str]) -> None:
    said = {
        "answer": turn(1, "answer", answer="It is in Berlin."),
        "question": turn(2, "question", question="Which Straße has the café?"),
        "title": turn(3, "title"),
        "percent": turn(4, "percent", answer="100% sure"),
        "underscore": turn(5, "underscore", question="what is a_b"),
        "backslash": turn(6, "backslash", question="C:\\repo"),
        "plain": turn(7, "plain", question="100 axb percent"),
    }
    for own in said.values():
        records.conversations.append(own)
    records.conversations.rename_session("sam", "title", "Москва")
    assert [s.id for s in records.conversations.sessions("sam", text)] == found


def test_a_blank_search_gives_all(records: Records) -> None:
    records.conversations.append(turn(1, "a"))
    records.conversations.append(turn(2, "b"))
    assert [s.id for s in records.conversations.sessions("sam", "  ")] == ["b", "a"]


def test_a_search_does_not_reach_other_users(records: Records) -> None:
    records.conversations.append(turn(1, answer="secret"))
    records.conversations.append(turn(1, user="kim"))
    assert records.conversations.sessions("kim", "secret") == []


def test_delete_and_undo(records: Records) -> None:
    for number in (1, 2):
        records.conversations.append(turn(number))
    records.conversations.append(turn(3, "other"))
    before = records.conversations.sessions("sam")
    assert records.conversations.delete_session("sam", "s")
    assert [s.id for s in records.conversations.sessions("sam")] == ["other"]
    assert records.conversations.sessions("sam", "Q1") == []
    assert ids(records) == []
    assert records.conversations.turn("sam", "t1") is None
    assert not records.feedback.rate("sam", "t1", Feedback(5, "", at(4)))
    assert not records.conversations.rename_session("sam", "s", "x")
    assert not records.conversations.delete_session("sam", "s")
    assert records.conversations.delete_session("sam", "s", deleted=False)
    assert records.conversations.sessions("sam") == before
    assert ids(records) == ["t1", "t2"]
    assert not records.conversations.delete_session("sam", "none")
    assert not records.conversations.delete_session("sam", "none", deleted=False)


def test_asking_in_a_deleted_session_begins_it_anew_without_the_old_turns(records: Records) -> None:
    records.conversations.append(turn(1, question="private"))
    records.conversations.delete_session("sam", "s")
    records.conversations.append(turn(2))
    assert ids(records) == ["t2"]
    assert records.conversations.sessions("sam") == [Session("s", "sam", "Q2", at(2), at(2), 1, "Q2")]
    assert records.conversations.sessions("sam", "private") == []
    assert records.conversations.delete_session("sam", "s", deleted=False)
    assert ids(records) == ["t1", "t2"]


def test_eight_threads_append_to_one_new_session(records: Records) -> None:
    in_threads(lambda number: records.conversations.append(turn(number)), range(64))
    assert ids(records) == [f"t{number}" for number in range(64)]
    (session,) = records.conversations.sessions("sam")
    assert (session.turns, session.updated_at, session.last_question) == (64, at(63), "Q63")
