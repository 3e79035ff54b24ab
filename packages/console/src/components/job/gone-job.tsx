import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../../api/me-api.ts";
import { formatInstant } from "../../format/time.ts";
import { useNow } from "../../live/use-now.ts";
import { useSettings } from "../../settings/settings.ts";
import { text } from "../../text/text.ts";
import { EmptyState } from "../shared/states.tsx";
import { addedAtOf, removedFrom } from "./removed-job.ts";

/** An id tells when its job was added, and so whether retention can have taken it. */
export function GoneJob({ id }: { readonly id: string }) {
  const now = useNow();
  const { timeZone } = useSettings();
  const retention = useQuery(meQuery).data?.server;
  const addedAt = addedAtOf(id);
  if (addedAt === null || retention === undefined)
    return <EmptyState title={text.job.gone}>{text.job.goneAdvice}</EmptyState>;
  const from = removedFrom(addedAt, retention, now);
  return (
    <EmptyState title={text.job.gone}>
      {from === null
        ? text.job.neverAdded
        : text.job.removed(formatInstant(addedAt, timeZone), formatInstant(from, timeZone))}
    </EmptyState>
  );
}
