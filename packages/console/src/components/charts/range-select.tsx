import { type Range, ranges } from "../../api/pipelines-api.ts";
import { text } from "../../text/text.ts";

export function RangeSelect({
  range,
  onChange,
}: {
  readonly range: Range;
  readonly onChange: (range: Range) => void;
}) {
  return (
    <select
      aria-label={text.overview.range}
      className="field py-1 text-table"
      value={range}
      onChange={(event) => onChange(event.target.value as Range)}
    >
      {(Object.keys(ranges) as Range[]).map((each) => (
        <option key={each} value={each}>
          {text.ranges[each]}
        </option>
      ))}
    </select>
  );
}
