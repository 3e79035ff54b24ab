import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { useLiveStatus } from "../live/live-status.ts";

export interface Unloaded {
  /** Null while it is loading. */
  readonly error: unknown;
  readonly onRetry: () => void;
}

export type LazyPart<Props> = ((props: Props) => ReactNode) & { readonly preload: () => Promise<void> };

/**
 * A part of the console whose script is loaded when it is first shown. The router's own way would load the whole document
 * again if that failed, and React's would fail for good. With the server away, either would put an error in the console's
 * place. Here only that part is missing, until the server is back.
 */
export function lazyPart<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
  Instead: ComponentType<Props & Unloaded>,
): LazyPart<Props> {
  let Loaded: ComponentType<Props> | null = null;
  const fetchPart = async () => {
    Loaded ??= (await load())[name];
  };

  function Lazy(props: Props) {
    const [isLoaded, setLoaded] = useState(Loaded !== null);
    const [error, setError] = useState<unknown>(null);
    const [tries, setTries] = useState(0);
    const { kind } = useLiveStatus();
    // Another try, or a server that is back, loads it again.
    useEffect(() => {
      let isShown = true;
      fetchPart().then(
        () => isShown && setLoaded(true),
        (thrown: unknown) => isShown && setError(thrown),
      );
      return () => {
        isShown = false;
      };
    }, [tries, kind]);
    if (isLoaded && Loaded !== null) return <Loaded {...props} />;
    const retry = () => {
      setError(null);
      setTries(tries + 1);
    };
    return <Instead {...props} error={error} onRetry={retry} />;
  }
  // Nobody waits for it: a failure is reported when the part is shown.
  Lazy.preload = () => fetchPart().catch(() => undefined);
  return Lazy;
}
