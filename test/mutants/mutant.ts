import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** A change of one file's text. What it replaces must be there once, so that a mutant that no longer fits says so. */
export interface Replacement {
  /** From the root of the repository. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Which tests are to find a mutant. */
export type Killer =
  | { readonly suite: "model"; readonly seed: number }
  | { readonly suite: "pairs" }
  | { readonly suite: "tests"; readonly file: string; readonly title?: string };

/** A fault as somebody once shipped it, put into our own code: a suite counts only if it finds it. */
export interface Mutant {
  readonly name: string;
  /** What it does, in half a sentence. */
  readonly change: string;
  readonly replacements: readonly Replacement[];
  /** What has to change in the database besides, as SQL. */
  readonly sql?: string;
  readonly killer: Killer;
}

const repository = new URL("../../", import.meta.url);
const functionsFolder = "packages/database/functions/";
const functionFiles = readdirSync(new URL(functionsFolder, repository), {
  recursive: true,
  encoding: "utf8",
});

/** The file of a function, or of a test beside one, whichever folder it is in; from the root of the repository. */
export function functionFile(name: string): string {
  const file = functionFiles.find((path) => path.split(/[/\\]/).at(-1) === name);
  if (file === undefined) throw new Error(`There is no ${name} in ${functionsFolder}.`);
  return functionsFolder + file;
}

export const isSql = ({ file }: Replacement) => file.startsWith(functionsFolder);

/** The text of a file with its replacements made. */
export function mutated(
  text: string,
  mutant: Pick<Mutant, "name">,
  replacements: readonly Replacement[],
): string {
  return replacements.reduce((changed, { file, from, to }) => {
    const places = changed.split(from).length - 1;
    if (places !== 1) {
      throw new Error(
        `Mutant ${mutant.name} no longer fits: ${file} has what it replaces ${places} times:\n${from}`,
      );
    }
    return changed.replace(from, () => to);
  }, text);
}

/** The files that a mutant changes, as it leaves them. */
export async function mutatedFiles({ name, replacements }: Mutant): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const file of filesOf(replacements)) {
    const own = replacements.filter((one) => one.file === file);
    files.set(file, mutated(await read(file), { name }, own));
  }
  return files;
}

/** The SQL that puts a mutant into a migrated database. */
export async function sqlOf(mutant: Mutant): Promise<string> {
  const files = await mutatedFiles({ ...mutant, replacements: mutant.replacements.filter(isSql) });
  return withTheirSettings([mutant.sql ?? "", ...files.values()]);
}

/** The SQL that takes it out again, where it changes functions alone. */
export async function cureOf(mutant: Mutant): Promise<string> {
  return withTheirSettings(await Promise.all(filesOf(mutant.replacements.filter(isSql)).map(read)));
}

/** Functions from their files are without the plan settings that migrate gave them; they get back what they had. */
function withTheirSettings(files: readonly string[]): string {
  return `create temp table settings_before as
  select p.oid::regprocedure::text as signature, s.name, s.value
  from pg_proc p
  cross join unnest(p.proconfig) c
  cross join lateral (select split_part(c, '=', 1) as name, split_part(c, '=', 2) as value) s
  where p.pronamespace = 'lockstep'::regnamespace and s.name <> 'search_path';
${files.join("\n")}
do $$
declare v_setting record;
begin
  for v_setting in select * from settings_before loop
    execute format('alter function %s set %I = %L', v_setting.signature, v_setting.name, v_setting.value);
  end loop;
end
$$;
drop table settings_before;`;
}

const filesOf = (replacements: readonly Replacement[]) => [...new Set(replacements.map(({ file }) => file))];
const read = (file: string) => readFile(new URL(file, repository), "utf8");
