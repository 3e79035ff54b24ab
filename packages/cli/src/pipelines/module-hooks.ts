import nodeModule from "node:module";

interface Resolved {
  url: string;
  format?: string | null;
}

/** Hooks that Node asks in the importing thread. */
export interface SynchronousHooks {
  resolve?(
    specifier: string,
    context: object,
    next: (specifier: string, context: object) => Resolved,
  ): Resolved;
  load?(url: string, context: object, next: (url: string, context: object) => object): object;
}

/**
 * Node 22.15 and newer have them, and warn of hooks on a thread of their own; undefined where there are none. The types are those
 * of the oldest Node that is supported.
 */
export const registerHooks: ((hooks: SynchronousHooks) => void) | undefined = (
  nodeModule as { registerHooks?: (hooks: SynchronousHooks) => void }
).registerHooks;
