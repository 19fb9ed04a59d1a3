"""Components are tried on the pages that draw them."""

from tests.pages.conftest import made as made
