import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

export interface ConsoleFile {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".map": "application/json",
  ".webmanifest": "application/manifest+json",
};

/**
 * The files of a built console. They are listed once, when the server is made, and a request can only name one of the
 * list: there is no path to climb out of. The index refers to its files by "./", which becomes the path of the mount, so
 * that it works under any page of the console.
 */
export class ConsoleFiles {
  readonly #files = new Map<string, ConsoleFile>();

  constructor(folder: string, base: string) {
    for (const path of pathsIn(folder)) {
      const name = `/${relative(folder, path).split(sep).join("/")}`;
      const body = readFileSync(path);
      this.#files.set(name, {
        body: name === "/index.html" ? based(body, base) : body,
        headers: headersOf(name),
      });
    }
  }

  /** By the path of a request; null when there is none. */
  get(path: string): ConsoleFile | null {
    return this.#files.get(path) ?? null;
  }

  get index(): ConsoleFile | null {
    return this.get("/index.html");
  }
}

function pathsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function based(body: Buffer, base: string): Buffer {
  return Buffer.from(body.toString("utf8").replace(/\b(href|src)="\.\//g, `$1="${base}/`));
}

function headersOf(name: string): Record<string, string> {
  // A name with a hash of its content never has other content.
  const isHashed = /[.-][\w-]{8,}\.\w+$/.test(name) && !name.endsWith(".html");
  return {
    "Content-Type": types[extname(name)] ?? "application/octet-stream",
    "Cache-Control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
  };
}
