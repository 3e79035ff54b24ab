import { entriesProcess } from "../../../../src/entries-process.ts";
import { entriesRoutes } from "../../../../src/entries-routes.ts";

export const dynamic = "force-dynamic";

export const DELETE = async (_request: Request, { params }: { params: Promise<{ id: string }> }) =>
  entriesRoutes(entriesProcess()).remove((await params).id);
