import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = new URL("../page/", import.meta.url);
const files: Readonly<Record<string, { name: string; type: string }>> = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/styles.css": { name: "styles.css", type: "text/css; charset=utf-8" },
  "/icon.svg": { name: "icon.svg", type: "image/svg+xml" },
  "/page.js": { name: "page.ts", type: "text/javascript; charset=utf-8" },
};
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
};

/** The files of the page. Its script is put together from TypeScript at the first request. */
export class PageFiles {
  #script: Promise<string> | null = null;

  /** Null: there is no such file. */
  async answer(path: string): Promise<Response | null> {
    const file = files[path];
    if (file === undefined) return null;
    const text = file.name.endsWith(".ts")
      ? this.#bundle(file.name)
      : readFile(new URL(file.name, folder), "utf8");
    return new Response(await text, { headers: { ...headers, "content-type": file.type } });
  }

  #bundle(name: string): Promise<string> {
    this.#script ??= bundled(name);
    return this.#script;
  }
}

async function bundled(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(name, folder))],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["source"],
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
