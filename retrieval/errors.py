"""Every error that this package raises, one tree; each message is fit to show and says what to do next.

MemoryLensError                 500
  QueryValidationError          422  the question or an option is not usable
    InvalidFeedbackInfluenceError
    SessionParameterError       422  a session id, a rating or a history length is not usable
  DatasetNotFoundError          404
  DocumentNotFoundError         404
  PermissionDeniedError         403
  NoDataError                   404  nothing stored, or nothing processed yet
  UnsupportedSearchTypeError    400
    SearchTypeDisabledError     403
  DatabaseNotCreatedError       422
  CypherError                   400
  IngestionError                422  a file can't be read; the reason is named
    DuplicateDocumentError      409  the same content or name is there already
      NameTakenError                 the same name with other content: replace it, or keep both
  StoreError                    500  a database failed: never "nothing found"
    StoreLockedError            409  the data folder is open in another process
    EmbeddingMismatchError      409  stored vectors and configured model differ
  ModelError                    502
    LLMPaymentRequiredError     402  terminal, never retried
    LLMNotConfiguredError       424
    LLMRateLimitError           429
    LLMTimeoutError             504
"""

from __future__ import annotations


class MemoryLensError(Exception):
    """Root of all errors; `status` is the HTTP status, `name` the class name shown to callers."""

    status = 500

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def name(self) -> str:
        """The class name, as it stands in brackets in HTTP bodies."""
        return type(self).__name__


class QueryValidationError(MemoryLensError):
    """The question or an option is not usable; nothing was touched."""

    status = 422


class InvalidFeedbackInfluenceError(QueryValidationError):
    """`feedback_influence` is not a number in [0, 1]."""


class SessionParameterError(QueryValidationError):
    """A session id, a rating or a history length is not usable."""


class DatasetNotFoundError(MemoryLensError):
    """A dataset name or id does not exist."""

    status = 404


class DocumentNotFoundError(MemoryLensError):
    """A document id does not exist in the dataset."""

    status = 404


class PermissionDeniedError(MemoryLensError):
    """The caller lacks the permission; the whole request is refused."""

    status = 403


class NoDataError(MemoryLensError):
    """The dataset holds nothing that can be searched yet."""

    status = 404


class UnsupportedSearchTypeError(MemoryLensError):
    """The search type is unknown."""

    status = 400


class SearchTypeDisabledError(UnsupportedSearchTypeError):
    """The search type is switched off by a setting."""

    status = 403


class DatabaseNotCreatedError(MemoryLensError):
    """The store was never set up."""

    status = 422


class CypherError(MemoryLensError):
    """A Cypher statement was refused or failed."""

    status = 400


class IngestionError(MemoryLensError):
    """A file can't be read; the message names the file and the reason."""

    status = 422


class DuplicateDocumentError(IngestionError):
    """The same content, or the same name with other content, is there already."""

    status = 409


class NameTakenError(DuplicateDocumentError):
    """A document of this name has other content; the caller says whether it is replaced or both are kept."""


class StoreError(MemoryLensError):
    """A database failed."""


class StoreLockedError(StoreError):
    """The data folder is open in another process."""

    status = 409


class EmbeddingMismatchError(StoreError):
    """Stored vectors were made by another model than the configured one."""

    status = 409


class ModelError(MemoryLensError):
    """A model failed or gave an unusable reply."""

    status = 502


class LLMPaymentRequiredError(ModelError):
    """The provider's budget is used up; never retried."""

    status = 402
    detail = "LLM provider requires payment or token budget is exhausted. [LLMPaymentRequiredError]"


class LLMNotConfiguredError(ModelError):
    """The step needs a language model and none is configured."""

    status = 424


class LLMRateLimitError(ModelError):
    """The provider's rate limit was hit and the attempts are used up."""

    status = 429


class LLMTimeoutError(ModelError):
    """The model did not answer within the time limit."""

    status = 504
