import { randomBytes } from "node:crypto";
import type { SiteDatabase } from "./site-database.ts";

// Anything may stand in a link, also what PostgreSQL refuses to look for.
const tokenForm = /^[\w-]{32}$/;

/** Links that show one report to whoever has them, until they are taken back. */
export class ShareStore {
  readonly #database: Pick<SiteDatabase, "rows">;

  constructor(database: Pick<SiteDatabase, "rows">) {
    this.#database = database;
  }

  /** The token of the link, the same one as long as it is not taken back. */
  async share(analysisId: string, visitor: string): Promise<string> {
    const token = randomBytes(24).toString("base64url");
    const [row] = await this.#database.rows<{ token: string }>(
      `insert into website_analysis.shares as shares (token, analysis_id, visitor) values ($1, $2, $3)
       on conflict (analysis_id) do update set token = shares.token where shares.visitor = $3
       returning token`,
      [token, analysisId, visitor],
    );
    if (row === undefined) throw new Error(`The analysis ${analysisId} is shared by another visitor.`);
    return row.token;
  }

  async tokenOf(analysisId: string, visitor: string): Promise<string | null> {
    const [row] = await this.#database.rows<{ token: string }>(
      "select token from website_analysis.shares where analysis_id = $1 and visitor = $2",
      [analysisId, visitor],
    );
    return row?.token ?? null;
  }

  async takeBack(analysisId: string, visitor: string): Promise<void> {
    await this.#database.rows("delete from website_analysis.shares where analysis_id = $1 and visitor = $2", [
      analysisId,
      visitor,
    ]);
  }

  /** Null: there is no such link, or it was taken back. */
  async analysisOf(token: string): Promise<{ analysisId: string; visitor: string } | null> {
    if (!tokenForm.test(token)) return null;
    const [row] = await this.#database.rows<{ analysisId: string; visitor: string }>(
      `select analysis_id as "analysisId", visitor from website_analysis.shares where token = $1`,
      [token],
    );
    return row ?? null;
  }
}
