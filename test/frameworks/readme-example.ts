import type { TestDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { blocks, read } from "../../scripts/docs/page.ts";
import type { FrameworkFolder } from "./framework-folder.ts";

export function readmeExampleWorks(folder: FrameworkFolder, db: TestDatabase): void {
  test("the README's example runs in an empty folder that was set up as docs/getting-started.md says", async (context) => {
    const project = await folder.empty(context, "readme");
    const [, install = ""] = blocks(read("docs/getting-started.md"), "shell");
    const commands = install.split("\n").map((line) => line.replace(/ +#.*/, "").trim());
    const settingUp = commands.filter((line) => /^npm (init|pkg) /.test(line));
    expect(settingUp).toHaveLength(2);
    for (const line of settingUp) await project.tool("npm", line.split(" ").slice(1));
    await project.write("first-pipeline.ts", read("examples/first-pipeline.ts"));
    const env = { DATABASE_URL: db.url };
    const { stdout } = await project.tool("node", ["--import", "tsx", "first-pipeline.ts"], env);
    expect(stdout).toBe("Hello, Ada!\n");
  }, 120_000);
}
