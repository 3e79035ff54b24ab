import type { ReactNode } from "react";
import { cn } from "../ui/cn.ts";
import { ScrollRegion } from "../ui/scroll-region.tsx";

export interface Column<Row> {
  readonly name: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly isRight?: boolean;
  /** The row is known by it. */
  readonly isHeader?: boolean;
  /** Left out on a narrow screen. */
  readonly isWide?: boolean;
  readonly className?: string;
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
}

/** A plain table for the pages that list a few things. */
export function DataTable<Row>({ label, rows, columns, rowKey }: DataTableProps<Row>) {
  const place = ({ isRight, isWide }: Column<Row>) =>
    cn("px-3 first:pl-4 last:pr-4", isRight ? "text-right" : "text-left", isWide && "max-lg:hidden");
  return (
    <ScrollRegion label={label} className="overflow-x-auto">
      <table className="w-full border-collapse text-table">
        <thead>
          <tr className="border-b">
            {columns.map((column, index) => (
              <th
                key={index}
                scope="col"
                className={cn(place(column), "py-2 text-xs font-medium whitespace-nowrap text-muted")}
              >
                {column.name}
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
