import type { TestDatabase } from "@lockstep/test-support";
import { expect } from "vitest";
import type { Project } from "./framework-folder.ts";
import { untilAnswer } from "./requests.ts";

const edits = 4;

/** Next loads a file again after each edit; the engine that the file makes is still the one of before. */
export class NextEdits {
  readonly #project: Project;
  readonly #file: string;
  readonly #code: string;

  private constructor(project: Project, file: string, engine: string) {
    this.#project = project;
    this.#file = file;
    this.#code = `${project.read(file)}export const useEngine = async () => void (await ${engine}.stats());\n`;
  }

  /** Before Next starts: adds a route that says which edit it runs, and uses the engine that this file makes. */
  static async of(project: Project, file: string, engine: string): Promise<NextEdits> {
    const made = new NextEdits(project, file, engine);
    await project.write(
      "app/edition/route.ts",
      `import { edition, useEngine } from "../../${file.replace(".ts", "")}";
       export const dynamic = "force-dynamic";
       export async function GET() {
         await useEngine();
         return Response.json({ edition });
       }`,
    );
    await made.#edit(0);
    return made;
  }

  async leaveNoConnection(url: string, db: TestDatabase): Promise<void> {
    await untilAnswer(`${url}/edition`, { edition: 0 });
    const before = await connections(db);
    for (let edition = 1; edition <= edits; edition += 1) {
      await this.#edit(edition);
      await untilAnswer(`${url}/edition`, { edition });
    }
    // A busy engine may open another connection, but not one for each edit.
    expect(await connections(db)).toBeLessThan(before + edits);
  }

  async #edit(edition: number): Promise<void> {
    await this.#project.write(this.#file, `${this.#code}export const edition = ${edition} as number;\n`);
  }
}

async function connections(db: TestDatabase): Promise<number> {
  const rows = await db.query<{ count: number }>(
    `select count(*)::integer from pg_stat_activity
     where datname = current_database() and application_name = 'lockstep engine'`,
  );
  return rows[0]?.count ?? 0;
}
