import { readFile } from "node:fs/promises";

const files: Readonly<Record<string, { file: string; type: string }>> = {
  "/": { file: "index.html", type: "text/html; charset=utf-8" },
  "/page.js": { file: "page.js", type: "text/javascript; charset=utf-8" },
  "/icon.svg": { file: "icon.svg", type: "image/svg+xml" },
  "/page.css": { file: "page.css", type: "text/css; charset=utf-8" },
};
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** A file of the upload page; null: it has none at this path. */
export async function pageAnswer(request: Request, url: URL): Promise<Response | null> {
  const page = request.method === "GET" ? files[url.pathname] : undefined;
  if (page === undefined) return null;
  const text = await readFile(new URL(`../../page/${page.file}`, import.meta.url));
  return new Response(text, { headers: { ...headers, "content-type": page.type } });
}
