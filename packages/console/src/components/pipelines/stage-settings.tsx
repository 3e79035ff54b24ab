import { Link } from "@tanstack/react-router";
import type { Stage } from "../../api/contract.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatAmount } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { WaitMark } from "../job/wait-mark.tsx";

const head = "px-3 py-1.5 text-start text-xs font-medium whitespace-nowrap text-muted first:ps-4";
const cell = "px-3 py-1.5 align-top first:ps-4";

/** How each stage was defined. */
export function StageSettings({ stages }: { readonly stages: readonly Stage[] }) {
  const columns = [
    text.pipelines.stage,
    text.pipelines.maxAttempts,
    text.pipelines.timeout,
    text.pipelines.retry,
    text.pipelines.limits,
  ];
  return (
    <ScrollRegion label={text.pipelines.settings} className="overflow-x-auto pb-2">
      <table className="w-full text-table">
        <thead>
          <tr className="border-b">
            {columns.map((name) => (
              <th key={name} scope="col" className={head}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {stages.map((stage) => (
            <tr key={stage.name}>
              <th scope="row" className={`${cell} text-start font-medium whitespace-nowrap`}>
                {stage.name}
              </th>
              {stage.kind !== undefined ? (
                <td className={cell} colSpan={columns.length - 1}>
                  <span className="flex items-center gap-1.5 text-xs text-muted">
                    <WaitMark kind={stage.kind} /> {spanOf(stage)}
                  </span>
                </td>
              ) : (
                <>
                  <td className={cell}>{stage.maxAttempts}</td>
                  <td className={cell}>
                    {stage.timeoutMs === null ? text.pipelines.noTimeout : formatDuration(stage.timeoutMs)}
                  </td>
                  <td className={cell}>
                    {text.pipelines.retryOf(
                      stage.retry.kind,
                      formatDuration(stage.retry.baseMs),
                      formatDuration(stage.retry.capMs),
                    )}
                  </td>
                  <td className={cell}>
                    {limitsOf(stage)}
                    {stage.spends !== undefined && <Spends spends={stage.spends} />}
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

/** What an attempt reserves of which budget. */
function Spends({ spends }: { readonly spends: NonNullable<Stage["spends"]> }) {
  return (
    <ul className="text-xs text-muted">
      {Object.entries(spends).map(([name, amount]) => (
        <li key={name}>
          {text.budgets.spends}{" "}
          <Link to="/budgets/$name" params={{ name }} className="text-primary hover:underline">
            {name}
          </Link>
          : {amount === null ? text.budgets.estimated : formatAmount(amount)}
        </li>
      ))}
    </ul>
  );
}

function spanOf({ kind, waitMs, onTimeout }: Stage): string {
  if (waitMs === undefined) return text.waits.noTimeout;
  const span = formatDuration(waitMs);
  return kind === "sleep"
    ? text.waits.forSpan(span)
    : text.waits.most(span, text.waits.onTimeout(onTimeout ?? "fail"));
}

function limitsOf({ concurrency, groupConcurrency, rate }: Stage): string {
  const limits = [
    concurrency === undefined ? null : text.pipelines.concurrency(concurrency),
    groupConcurrency === undefined ? null : text.pipelines.groupConcurrency(groupConcurrency),
    rate === undefined ? null : text.pipelines.rate(rate.jobs, formatDuration(rate.perMs)),
  ].filter((limit) => limit !== null);
  return limits.length === 0 ? text.pipelines.noLimits : limits.join(", ");
}
