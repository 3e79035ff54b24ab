import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./cn.ts";

export interface MenuItem {
  readonly label: ReactNode;
  readonly hint?: string;
  readonly onSelect: () => void;
  readonly isDanger?: boolean;
  readonly isChosen?: boolean;
  readonly isDisabled?: boolean;
}

export interface MenuProps {
  /** A button; it becomes the menu's. */
  readonly trigger: ReactNode;
  readonly items: readonly MenuItem[];
  readonly align?: "start" | "end";
}

export function Menu({ trigger, items, align = "end" }: MenuProps) {
  return (
    // Not modal: locking the scroll would put a style element into the page. Without a portal it stays in its landmark.
    <DropdownMenu.Root modal={false} dir={document.dir === "rtl" ? "rtl" : "ltr"}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Content
        align={align}
        sideOffset={6}
        collisionPadding={8}
        className="z-40 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 animate-[rise_.1s_ease-out] overflow-y-auto rounded-lg border bg-raised p-1 shadow-[var(--shadow-float)]"
      >
        {items.map((item, index) => (
          <DropdownMenu.Item
            key={index}
            disabled={item.isDisabled}
            aria-current={item.isChosen || undefined}
            onSelect={item.onSelect}
            className={cn(
              "flex min-h-8 cursor-pointer items-center justify-between gap-6 rounded-md px-2.5 py-1 outline-none data-disabled:opacity-50 data-highlighted:bg-selected",
              item.isDanger && "text-danger",
              item.isChosen && "font-semibold",
            )}
          >
            <span className="flex items-center gap-2">
              {item.label}
              {item.isChosen && <span aria-hidden>✓</span>}
            </span>
            {item.hint !== undefined && <span className="text-xs text-muted">{item.hint}</span>}
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
