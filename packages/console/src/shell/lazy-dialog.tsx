import type { ComponentType } from "react";
import { ErrorState } from "../components/shared/states.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { type LazyPart, lazyPart, type Unloaded } from "./lazy-part.tsx";

interface Closable {
  readonly onClose: () => void;
}

/** A dialog whose script is loaded when it is first opened. It appears when it is loaded, or when it cannot be loaded. */
export function lazyDialog<Name extends string, Props extends Closable>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
  title: string,
): LazyPart<Props> {
  function UnloadedDialog({ error, onRetry, onClose }: Unloaded & Closable) {
    if (error === null) return null;
    return (
      <Dialog title={title} onClose={onClose}>
        <ErrorState error={error} onRetry={onRetry} />
      </Dialog>
    );
  }
  return lazyPart(load, name, UnloadedDialog);
}
