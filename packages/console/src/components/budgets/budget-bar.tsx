import { formatAmount } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";

export interface InUse {
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
}

/** How full a scope is: what is spent, then what is reserved, then what is left. */
export function BudgetBar({ inUse, unit }: { readonly inUse: InUse; readonly unit: string | null }) {
  const { limit, spent, reserved } = inUse;
  const left = limit - spent - reserved;
  const amount = (value: number) => text.budgets.amount(formatAmount(value), unit);
  // Above its limit the bar is full, and shows how the whole is divided.
  const whole = Math.max(limit, spent + reserved);
  const width = (value: number) => ({ width: `${whole === 0 ? 0 : (value / whole) * 100}%` });
  const fill = left < 0 ? "bg-failed" : "bg-processing";
  return (
    <div className="min-w-0 sm:min-w-40">
      <span
        role="img"
        aria-label={text.budgets.bar(formatAmount(spent), formatAmount(reserved), amount(limit))}
        className="flex h-2 w-full overflow-hidden rounded-full bg-line"
      >
        <span className={cn("bar-fill h-full", fill)} style={width(spent)} />
        <span className={cn("bar-fill hatched h-full opacity-60", fill)} style={width(reserved)} />
      </span>
      <span className="mt-1 flex flex-wrap justify-between gap-x-3 text-xs text-muted">
        <span>
          {formatAmount(spent)}
          {reserved > 0 && ` + ${formatAmount(reserved)}`} / {amount(limit)}
        </span>
        <span className={left < 0 ? "font-medium text-failed" : ""}>
          {left < 0 ? text.budgets.over(formatAmount(-left)) : text.budgets.leftOf(formatAmount(left))}
        </span>
      </span>
    </div>
  );
}
