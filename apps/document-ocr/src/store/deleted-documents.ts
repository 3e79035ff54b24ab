import type { OcrDatabase } from "./ocr-database.ts";

/** Documents that were deleted on the page: their files are gone, and their jobs are no longer shown there. */
export class DeletedDocuments {
  readonly #db: OcrDatabase;

  constructor(db: OcrDatabase) {
    this.#db = db;
  }

  /** Forgets the files too, with the pages that were read from them; another job with the same bytes finds them gone. */
  async add(jobId: string, sha256s: readonly string[]): Promise<void> {
    await this.#db.inTransaction(async (tx) => {
      await tx.query(
        "insert into document_ocr.deleted_documents (job_id) values ($1) on conflict do nothing",
        [jobId],
      );
      await tx.query("delete from document_ocr.files where sha256 = any ($1)", [sha256s]);
    });
  }

  /** Those of the given jobs that were not deleted, in their order. */
  async without(jobIds: readonly string[]): Promise<string[]> {
    const rows = await this.#db.rows<{ id: string }>(
      `select g.id from unnest($1::uuid[]) with ordinality as g (id, number)
       where not exists (select from document_ocr.deleted_documents d where d.job_id = g.id)
       order by g.number`,
      [jobIds],
    );
    return rows.map(({ id }) => id);
  }
}
