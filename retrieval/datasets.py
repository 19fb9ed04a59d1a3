"""Datasets and their documents, async."""

from __future__ import annotations

import asyncio

from retrieval.errors import DatasetNotFoundError, QueryValidationError
from retrieval.library import Status
from retrieval.model import Chunk, Dataset, Document
from retrieval.process import caller, engine

PERMISSIONS = ("read", "write", "delete", "share")


def _id(name: str, user: str | None) -> str:
    for dataset in engine().datasets(caller(user)):
        if name in {dataset.id, dataset.name}:
            return dataset.id
    raise DatasetNotFoundError(f"There is no dataset {name!r} that you can read.")


async def create(name: str, description: str = "", user: str | None = None) -> Dataset:
    """A new dataset."""
    return await asyncio.to_thread(engine().create_dataset, caller(user), name, description)


async def list_datasets(user: str | None = None) -> list[Dataset]:
    """The datasets that the caller can read, oldest first."""
    return await asyncio.to_thread(lambda: engine().datasets(caller(user)))


async def describe(name: str, user: str | None = None) -> Status:
    """Counts of what a dataset (by name or id) holds."""
    return await asyncio.to_thread(lambda: engine().status(caller(user), _id(name, user)))


async def rename(name: str, new_name: str, user: str | None = None) -> Dataset:
    """The dataset under its new name."""
    return await asyncio.to_thread(lambda: engine().update_dataset(caller(user), _id(name, user), name=new_name))


async def delete(name: str, user: str | None = None) -> None:
    """Forget a dataset and everything in it."""
    await asyncio.to_thread(lambda: engine().delete_dataset(caller(user), _id(name, user)))


async def share(name: str, with_user: str, permission: str = "read", user: str | None = None) -> None:
    """Give another user a permission: read, write, delete or share."""
    await asyncio.to_thread(_grant, name, with_user, permission, user, allowed=True)


async def revoke(name: str, from_user: str, permission: str = "read", user: str | None = None) -> None:
    """Take a permission back."""
    await asyncio.to_thread(_grant, name, from_user, permission, user, allowed=False)


def _grant(name: str, other: str, permission: str, user: str | None, *, allowed: bool) -> None:
    if permission not in PERMISSIONS:
        raise QueryValidationError(f"permission must be one of {', '.join(PERMISSIONS)}, not {permission!r}.")
    own = _id(name, user)
    engine().dataset(caller(user), own, "share")
    engine().parts.catalog.grant(own, other, permission, allowed=allowed)


async def documents(name: str, user: str | None = None) -> list[Document]:
    """The dataset's documents, oldest first."""
    return await asyncio.to_thread(lambda: engine().documents(caller(user), _id(name, user)))


async def preview(name: str, document_id: str, user: str | None = None) -> list[Chunk]:
    """The chunks of a document."""
    return await asyncio.to_thread(lambda: engine().document_chunks(caller(user), _id(name, user), document_id))


async def delete_document(name: str, document_id: str, user: str | None = None) -> None:
    """Take a document out of the memory."""
    await asyncio.to_thread(lambda: engine().delete_document(caller(user), _id(name, user), document_id))
