import type { CliErrorParts } from "../errors/cli-error.ts";
import type { EndingSignal } from "../session/io.ts";

/** What `lockstep dev` tells its worker, a process of its own. */
export type ToWorker =
  | { readonly kind: "start"; readonly databaseUrl: string }
  /** Newer code has taken over. */
  | { readonly kind: "retire" }
  | { readonly kind: "order"; readonly signal: EndingSignal };

/** What the worker tells. */
export type FromWorker =
  /** It has imported this file. */
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "loaded"; readonly files: readonly string[] }
  | { readonly kind: "started"; readonly stages: readonly { readonly pipeline: string }[] }
  | { readonly kind: "refused"; readonly error: Omit<CliErrorParts, "cause"> }
  /** It claims no more jobs. */
  | { readonly kind: "draining" }
  | { readonly kind: "databaseDown" };
