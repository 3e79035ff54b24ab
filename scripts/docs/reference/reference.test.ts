import { expect, test } from "vitest";
import { DeclarationFile } from "../../build/declaration-file.ts";
import { readReference, referencePackages } from "./reference-packages.ts";
import { referencePage } from "./reference-page.ts";

test("every public export of every package has a comment of at least one sentence", {
  timeout: 120_000,
}, async () => {
  const reference = await readReference();
  const bare = [...reference].flatMap(([packageName, exports]) =>
    exports
      .filter(({ statements }) => !statements.some(({ doc }) => /\S+ \S+.*[.!?]/s.test(doc)))
      .map(({ name, place }) => `${packageName}: ${name} (packages/${place}.ts)`),
  );
  expect(bare).toEqual([]);
  for (const packageName of Object.keys(referencePackages)) {
    const exported = Object.keys(await import(packageName));
    const page = referencePage(packageName, reference.get(packageName) ?? []);
    expect(exported.filter((name) => !new RegExp(`^##+ ${name}$`, "m").test(page))).toEqual([]);
  }
});

test("a page shows comments, all signatures, and members of a base that is not exported", () => {
  const file = new DeclarationFile(
    "index.d.ts",
    `import { type Base } from "./base.ts";
/** Adds.
 *  Twice. */
export declare function add(one: string): void;
export declare function add(one: {
    readonly two: string;
}): void;
export type Union = {
    one: 1;
}
/** The other. */
 | {
    two: 2;
};
export { type Other, more as most } from "./other.ts";
`,
  );
  expect([...file.exports.keys()]).toEqual(["add", "Union", "Other", "most"]);
  expect(file.exports.get("most")).toEqual({ from: "other.d.ts", name: "more" });
  expect(file.statements.get("Union")?.[0]?.text).toContain("two: 2");
  const text = "export declare class Base {\n    #private;\n    constructor(a: A);\n    read(): void;\n}";
  const bases = [{ name: "Base", statements: [{ doc: "", text }] }];
  const add = { name: "add", place: "client/src/add", statements: file.statements.get("add") ?? [], bases };
  const page = referencePage("@lockstep/client", [add]);
  expect(page.split("## ")[1]).toBe(
    "add\n\nAdds.\n Twice.\n\n```ts\nfunction add(one: string): void;\nfunction add(one: {\n  readonly two: string;\n}): void;\n```\n\nIt also has what `Base` has:\n\n```ts\nclass Base {\n  read(): void;\n}\n```\n",
  );
});
