import type { HealthView } from "../../../api/health.js";
import { counted } from "../../parts/numbers.js";

/** The migrations of the schema. */
export function Migrations({ migrations: { applied, pending, unknown } }: Pick<HealthView, "migrations">) {
  return (
    <section>
      <h2>Migrations</h2>
      <p>
        {counted(applied.length, "migration")} applied, {pending.length} pending.
      </p>
      <ul class="migrations mono">
        {pending.map((name) => (
          <li key={name}>
            {name} <strong class="migration-pending">pending</strong>
          </li>
        ))}
        {applied.map((name) => (
          <li key={name}>
            {name}{" "}
            <span class="dim">{unknown.includes(name) ? "applied by a newer version" : "applied"}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
