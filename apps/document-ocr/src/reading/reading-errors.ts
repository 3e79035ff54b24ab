import { PermanentError } from "lockstep";

/** Why a document is refused. */
export type RefusalCode =
  | "not_a_pdf"
  | "encrypted"
  | "wrong_password"
  | "truncated"
  | "damaged"
  | "no_pages"
  | "too_many_pages"
  | "page_too_large"
  | "document_too_large"
  | "too_many_objects"
  | "too_much_text"
  | "memory_limit"
  | "cpu_limit";

/** The document cannot be read, or must not be: another try would end the same way. */
export class UnsafeDocumentError extends PermanentError {
  override readonly name = "UnsafeDocumentError";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The process that reads ended or stood still without an answer, through no fault of the document: another try may go well. */
export class ReadingCrashError extends Error {
  override readonly name = "ReadingCrashError";
}
