import { ChevronLeft, ChevronRight } from "lucide-react";
import type { JobPage } from "../../api/contract.ts";
import { pageSize } from "../../api/jobs-api.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { countText } from "./count-label.tsx";
import { LookedTo } from "./look-on.tsx";

export interface JobsPagerProps {
  readonly page: JobPage | undefined;
  /** How many rows are shown. */
  readonly rows: number;
  /** Null is the first page. */
  readonly onPage: (cursor: string | null) => void;
}

/** The way to newer and older jobs, and how many there are. */
export function JobsPager({ page, rows, onPage }: JobsPagerProps) {
  const { previous, next, isCutShort, scannedTo } = page?.page ?? {};
  const count = page?.count;
  return (
    <footer className="flex flex-wrap items-center gap-2 border-t px-4 py-2 text-table text-muted">
      <Button size="small" disabled={!previous} onClick={() => onPage(previous ?? null)}>
        <ChevronLeft size={14} aria-hidden /> {text.jobs.newer}
      </Button>
      <Button size="small" disabled={!next} onClick={() => onPage(next ?? null)}>
        {isCutShort ? text.jobs.lookOn : text.jobs.older} <ChevronRight size={14} aria-hidden />
      </Button>
      {rows > 0 && isCutShort && <LookedTo scannedTo={scannedTo ?? null} />}
      <span className="ms-auto">
        {text.jobs.rows(rows)}
        {count !== undefined &&
          rows >= Math.min(pageSize, count.value) &&
          ` · ${text.jobs.matching(countText(count))}`}
      </span>
    </footer>
  );
}
