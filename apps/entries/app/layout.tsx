import "./globals.css";
import type { Metadata } from "next";
import type { ReactNode } from "react";

export const metadata: Metadata = {
  title: "Async Workflow Demo",
  description: "Entries that move through three stages, live",
};

export default function Layout({ children }: { children: ReactNode }) {
  return (
    // The script changes it before React sees it.
    <html lang="en" suppressHydrationWarning>
      <head>
        <script src="/theme.js" />
      </head>
      <body className="min-h-dvh bg-page font-sans text-ink antialiased">{children}</body>
    </html>
  );
}
