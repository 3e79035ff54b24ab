export { AppDatabase, type AppDatabaseOptions } from "./app-database.ts";
export { PageFiles } from "./pages/page-files.ts";
export { apiMount, type PageServerParts, pageServer } from "./pages/page-server.ts";
