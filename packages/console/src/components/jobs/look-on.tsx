import { useEffect, useState } from "react";
import type { JobPage } from "../../api/contract.ts";
import { formatInstant } from "../../format/time.ts";
import { useSettings } from "../../settings/settings.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../shared/states.tsx";

/** Nothing was found in the part that was searched: there may still be something in the rest. */
export function NoneSoFar({ filter, scannedTo, look }: NoneSoFarProps) {
  return (
    <EmptyState
      isFiltered
      title={look.isLooking ? text.jobs.looking : text.jobs.soFarTitle}
      action={
        look.isLooking ? (
          <Button onClick={look.stop}>{text.jobs.stopLooking}</Button>
        ) : (
          <Button look="primary" onClick={look.start}>
            {text.jobs.lookOn}
          </Button>
        )
      }
    >
      <p>{text.jobs.soFarAdvice(filter)}</p>
      <p role="status">
        <LookedTo scannedTo={scannedTo} />
      </p>
    </EmptyState>
  );
}

export interface NoneSoFarProps {
  readonly filter: string;
  readonly scannedTo: string | null;
  readonly look: LookOn;
}

export function LookedTo({ scannedTo }: { readonly scannedTo: string | null }) {
  const { timeZone } = useSettings();
  return (
    <span>
      {scannedTo === null
        ? text.jobs.lookedPart
        : text.jobs.lookedTo(formatInstant(new Date(scannedTo), timeZone))}
    </span>
  );
}

export interface LookOn {
  readonly isLooking: boolean;
  readonly start: () => void;
  readonly stop: () => void;
}

/** Goes on from look to look until something is found, the end is reached, or somebody has seen enough. */
export function useLookOn(
  page: JobPage["page"] | undefined,
  found: number,
  filter: string,
  goTo: (cursor: string) => void,
): LookOn {
  const [isLooking, setLooking] = useState(false);
  const next = page?.isCutShort === true && found === 0 ? page.next : null;
  useEffect(() => {
    if (!isLooking || page === undefined) return;
    if (next === null) setLooking(false);
    else goTo(next);
  }, [isLooking, page, next]);
  useEffect(() => setLooking(false), [filter]);
  return { isLooking, start: () => setLooking(true), stop: () => setLooking(false) };
}
