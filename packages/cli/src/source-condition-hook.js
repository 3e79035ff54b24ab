// Runs on Node's thread for module hooks, or in the importing thread where Node has hooks there.

/**
 * The packages of this repository name their sources under the condition "@lockstep/source".
 *
 * @param {string} specifier
 * @param {{ conditions: string[] }} context
 * @param {(specifier: string, context: any) => any} nextResolve
 */
export function resolve(specifier, context, nextResolve) {
  return nextResolve(specifier, { ...context, conditions: [...context.conditions, "@lockstep/source"] });
}
