import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { look, lookPath } from "./look.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".js": "text/javascript; charset=utf-8",
  ".ts": "text/javascript; charset=utf-8",
};
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

/** The files of a page, by their paths, and the look that all pages share. A script in TypeScript is bundled at its first request. */
export class PageFiles {
  readonly #folder: URL;
  readonly #files: Readonly<Record<string, string>>;
  readonly #scripts = new Map<string, Promise<string>>();

  constructor(folder: URL, files: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#files = files;
  }

  /** Null: there is no such file. */
  async answer(path: string): Promise<Response | null> {
    if (path === lookPath) return answered(await look(), ".css");
    const name = Object.hasOwn(this.#files, path) ? this.#files[path] : undefined;
    if (name === undefined) return null;
    const text = name.endsWith(".ts") ? this.#script(name) : readFile(new URL(name, this.#folder), "utf8");
    return answered(await text, extname(name));
  }

  #script(name: string): Promise<string> {
    const script = this.#scripts.get(name) ?? bundled(new URL(name, this.#folder));
    this.#scripts.set(name, script);
    return script;
  }
}

function answered(text: string, extension: string): Response {
  const type = types[extension] ?? "application/octet-stream";
  return new Response(text, { headers: { ...headers, "content-type": type } });
}

// Loaded with the first script: a page of plain files needs no bundler.
async function bundled(file: URL): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(file)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["@lockstep/source"],
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
