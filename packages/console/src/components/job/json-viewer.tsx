import { useMemo, useState } from "react";
import { exactText } from "../../api/exact-json.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { type JsonLine, jsonLines } from "./json-lines.ts";

const lineHeightPx = 24;
const windowPx = 480;
const drawnAtOnce = 400;

const colours = {
  string: "text-completed",
  number: "text-processing",
  literal: "text-scheduled",
  open: "",
  close: "",
  folded: "text-muted",
};

/** JSON with folds. Only what is in sight is drawn, so that a large payload does not stop the page. */
export function JsonViewer({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [scrollPx, setScrollPx] = useState(0);
  const lines = useMemo(() => jsonLines(value, folded), [value, folded]);
  const isLong = lines.length > drawnAtOnce;
  const first = isLong ? Math.max(0, Math.floor(scrollPx / lineHeightPx) - 20) : 0;
  const shown = isLong ? lines.slice(first, first + Math.ceil(windowPx / lineHeightPx) + 40) : lines;

  const toggle = (path: string) => {
    const next = new Set(folded);
    if (!next.delete(path)) next.add(path);
    setFolded(next);
  };

  return (
    <div className="group relative">
      <div className="absolute top-1 end-1 z-10">
        <CopyButton value={() => exactText(value)} label={text.common.copyJson} />
      </div>
      <ScrollRegion
        label={label}
        className="max-h-[30rem] overflow-auto rounded-md border bg-well py-2 font-mono text-xs"
        onScroll={(event) => isLong && setScrollPx(event.currentTarget.scrollTop)}
      >
        <div
          style={
            isLong ? { height: lines.length * lineHeightPx, paddingTop: first * lineHeightPx } : undefined
          }
        >
          {shown.map((line) => (
            <Line key={line.path + line.kind} line={line} onToggle={toggle} />
          ))}
        </div>
      </ScrollRegion>
    </div>
  );
}

function Line({ line, onToggle }: { readonly line: JsonLine; readonly onToggle: (path: string) => void }) {
  const { depth, name, kind, isLast } = line;
  const isFoldable = (kind === "open" || kind === "folded") && depth > 0;
  return (
    <div className="flex min-h-6 pe-10 leading-6" style={{ paddingLeft: 8 + depth * 14 }}>
      {isFoldable ? (
        <button
          type="button"
          aria-expanded={kind === "open"}
          aria-label={text.common.fold(name ?? line.path)}
          onClick={() => onToggle(line.path)}
          className="-ms-1 h-6 w-6 shrink-0 text-muted hover:text-ink"
        >
          {kind === "open" ? "▾" : "▸"}
        </button>
      ) : (
        <span className="-ms-1 w-6 shrink-0" />
      )}
      <span className="min-w-0 break-words whitespace-pre-wrap">
        {name !== null && <span className="text-muted">{JSON.stringify(name)}: </span>}
        <span className={cn(colours[kind])}>{line.text}</span>
        {!isLast && kind !== "open" && <span className="text-muted">,</span>}
      </span>
    </div>
  );
}
