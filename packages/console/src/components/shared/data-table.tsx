import { ArrowDown } from "lucide-react";
import type { ReactNode } from "react";
import { useMedia } from "../../shell/use-media.ts";
import { cn } from "../../ui/cn.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";

export interface Column<Row> {
  readonly name: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly isRight?: boolean;
  /** The row is known by it. */
  readonly isHeader?: boolean;
  /** Left out on a medium screen. */
  readonly isWide?: boolean;
  readonly className?: string;
  /** The rows can be in its order, the largest first. */
  readonly sort?: { readonly isOn: boolean; readonly onSort: () => void };
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
}

/** A plain table for the pages that list a few things; on a phone, cards. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  return useMedia("(max-width: 39.99rem)") ? <Cards {...props} /> : <Table {...props} />;
}

function Table<Row>({ label, rows, columns, rowKey }: DataTableProps<Row>) {
  const place = ({ isRight, isWide }: Column<Row>) =>
    cn("px-3 first:ps-4 last:pe-4", isRight ? "text-end" : "text-start", isWide && "max-lg:hidden");
  return (
    <ScrollRegion label={label} className="overflow-x-auto">
      <table className="w-full border-collapse text-table">
        <thead>
          <tr className="border-b">
            {columns.map((column, index) => (
              <th
                key={index}
                scope="col"
                aria-sort={column.sort?.isOn ? "descending" : undefined}
                className={cn(place(column), "py-2 text-xs font-medium whitespace-nowrap text-muted")}
              >
                {column.sort === undefined ? (
                  column.name
                ) : (
                  <button
                    type="button"
                    className="inline-flex items-center gap-0.5 rounded hover:text-ink"
                    onClick={column.sort.onSort}
                  >
                    {column.name}
                    <ArrowDown size={12} aria-hidden className={column.sort.isOn ? "" : "opacity-0"} />
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map((row) => (
            <tr key={rowKey(row)} className="hover:bg-well">
              {columns.map((column, index) => {
                const className = cn(place(column), "py-(--row-y)", column.className);
                return column.isHeader ? (
                  <th key={index} scope="row" className={cn(className, "font-normal")}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={index} className={className}>
                    {column.cell(row)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Cards<Row>({ label, rows, columns, rowKey }: DataTableProps<Row>) {
  const header = columns.find(({ isHeader }) => isHeader);
  const rest = columns.filter(({ isHeader, isWide }) => !isHeader && !isWide);
  return (
    <ul aria-label={label} className="divide-y">
      {rows.map((row) => (
        <li key={rowKey(row)} className="space-y-2 px-4 py-3">
          <div>{header?.cell(row)}</div>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-table">
            {rest.map(({ name, cell }, index) => (
              <div key={index} className="contents">
                <dt className="text-muted">{name}</dt>
                <dd className="min-w-0 break-words">{cell(row)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}
