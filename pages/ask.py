"""Ask: a question, its answer, and beside it everything that the answer rests on."""

from __future__ import annotations

import streamlit as st

from components import answer, asking, frame, search_form, sessions

scope = frame.begin("Ask")
asking.settle()
session = sessions.current()
sessions.draw(scope, session)
st.title("Ask")
asked = search_form.draw(asking.held(scope))
asking.run(scope, session, asked)
turns = scope.engine.conversations.turns(scope.user, session)
for position, turn in enumerate(reversed(turns)):
    answer.draw(scope.engine, scope.user, turn, "ask", newest=position == 0)
if not turns:
    asking.offer_examples(scope)
