// Plain JavaScript, because it is loaded before the loader that reads TypeScript, and is beneath that one.
import { register } from "node:module";

/** @typedef {{ file: string, from: string, to: string }} Replacement */

/** @type {readonly Replacement[]} */
let replacements = [];

const given = new URL(import.meta.url).searchParams.get("replacements");
// In each thread: they do not inherit it.
if (given !== null) {
  register("./mutating-loader.js", { parentURL: import.meta.url, data: JSON.parse(given) });
}

/** @param {readonly Replacement[]} data */
export function initialize(data) {
  replacements = data;
}

/** @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const path = url.split("?")[0] ?? "";
  const own = replacements.filter(({ file }) => path.endsWith(`/${file}`));
  if (own.length === 0) return loaded;
  const text = own.reduce((source, { from, to }) => source.replace(from, () => to), String(loaded.source));
  return { ...loaded, source: text };
}
