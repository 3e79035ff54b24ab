// Runs on Node's thread for module hooks, or in the importing thread where Node has hooks there.

/**
 * A project without "type": "module" has its TypeScript read as CommonJS, for which a second copy of every ES module
 * would be loaded, lockstep too: what a handler gets from that one (giveUp, PermanentError) this process would not know.
 *
 * @template {{ url: string, format?: string | null | undefined }} Found
 * @param {Found} found
 * @returns {Found}
 */
export function asModule(found) {
  const isOwnTypeScript = /^file:(?!.*\/node_modules\/).*\.tsx?(\?|$)/.test(found.url);
  return found.format === "commonjs" && isOwnTypeScript ? { ...found, format: "module" } : found;
}

/** @type {import("node:module").ResolveHook} */
export async function resolve(specifier, context, nextResolve) {
  return asModule(await nextResolve(specifier, context));
}
