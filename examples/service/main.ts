/** Run it with `DATABASE_URL=postgres://… npx tsx examples/service/main.ts`. Without a database it stores nothing on disk. */
import { startService } from "./start-service.js";

const service = await startService(process.env.DATABASE_URL ?? "memory://", Number(process.env.PORT ?? 3000));
console.log(`Listening on port ${service.port}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void service.stop());
