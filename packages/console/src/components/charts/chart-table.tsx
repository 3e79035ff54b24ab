import { text } from "../../text/text.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { plotHeight } from "./plot-scale.ts";
import { type Series, said } from "./series.ts";

export interface ChartTableProps {
  readonly title: string;
  readonly times: readonly Date[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly when: (time: Date) => string;
}

/** The numbers of a chart, newest first. */
export function ChartTable({ title, times, series, format, when }: ChartTableProps) {
  return (
    <ScrollRegion label={title} className="overflow-auto" style={{ height: plotHeight }}>
      <table className="w-full text-table">
        <thead>
          <tr className="text-start text-xs text-muted">
            <th scope="col" className="py-1 font-medium">
              {text.activity.at}
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="py-1 text-end font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {times
            .map((time, index) => (
              <tr key={time.getTime()}>
                <th scope="row" className="py-0.5 text-start font-normal">
                  {when(time)}
                </th>
                {series.map(({ name, values }) => (
                  <td key={name} className="text-end">
                    {said(values[index], format)}
                  </td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
