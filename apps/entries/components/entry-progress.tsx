export function EntryProgress(props: { title: string; percent: number; hasFailed: boolean }) {
  const { title, percent, hasFailed } = props;
  return (
    <div className="flex items-center gap-3">
      <div
        role="progressbar"
        aria-label={`Progress of ${title}`}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-1.5 flex-1 overflow-hidden rounded-full bg-line"
      >
        <div
          className={`h-full motion-safe:transition-[width] ${hasFailed ? "bg-failed" : "bg-processing"}`}
          style={{ width: `${percent}%` }}
        />
      </div>
      <span className="w-12 text-right tabular-nums">{percent} %</span>
    </div>
  );
}
