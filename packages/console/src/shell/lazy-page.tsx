import type { ComponentType } from "react";
import { ErrorState } from "../components/shared/states.tsx";
import { SkeletonRows, WhileLoading } from "../ui/skeleton.tsx";
import { type LazyPart, lazyPart, type Unloaded } from "./lazy-part.tsx";

/** A page whose script is loaded when it is first opened. */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): LazyPart<object> {
  return lazyPart(load, name, UnloadedPage);
}

function UnloadedPage({ error, onRetry }: Unloaded) {
  return (
    <div className="panel">
      {error === null ? (
        <WhileLoading>
          <SkeletonRows />
        </WhileLoading>
      ) : (
        <ErrorState error={error} onRetry={onRetry} />
      )}
    </div>
  );
}
