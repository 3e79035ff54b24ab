import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errorsQuery } from "../../api/errors-api.ts";
import { formatNumber } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { Panel } from "../../ui/panel.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { RelativeTime } from "../shared/relative-time.tsx";
import { WhenRead } from "../shared/when-read.tsx";

const shownAtMost = 6;

export function LatestErrors() {
  const query = useQuery(errorsQuery());
  return (
    <Panel
      title={text.overview.latestErrors}
      aside={
        <Link to="/errors" className="rounded text-primary hover:underline">
          {text.common.all}
        </Link>
      }
      isFlush
    >
      <WhenRead queries={[query]} skeleton={<SkeletonRows rows={2} />}>
        {() => {
          const groups = query.data?.slice(0, shownAtMost) ?? [];
          if (groups.length === 0) return <p className="px-4 pb-4 text-muted">{text.overview.noErrors}</p>;
          return (
            <ul className="divide-y border-t">
              {groups.map((group) => (
                <li key={group.fingerprint} className="flex items-baseline gap-3 px-4 py-2 text-table">
                  <Link
                    to="/errors/$fingerprint"
                    params={{ fingerprint: group.fingerprint }}
                    className="min-w-0 flex-1 truncate hover:underline"
                    title={group.message ?? undefined}
                  >
                    <b className="font-medium text-failed">{group.name ?? text.errorsPage.unnamed}</b>{" "}
                    {group.message}
                  </Link>
                  <span className="hidden max-w-40 truncate text-muted sm:block">{group.stage}</span>
                  <span className="font-medium">
                    {`${formatNumber(group.jobs)}${group.capped ? "+" : ""}`}×
                  </span>
                  <span className="w-16 text-end text-xs text-muted">
                    <RelativeTime at={group.lastAt} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </WhenRead>
    </Panel>
  );
}
