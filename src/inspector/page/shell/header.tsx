import { PAGE_NAMES } from "./page-title.js";
import { PAGE_ACTIONS } from "../../api/actions.js";
import type { Overview } from "../../api/inspector-api.js";
import { linkTo } from "../routes/route.js";
import { useState } from "preact/hooks";
import { PAGE_LETTERS, useKeys } from "./keys/page-keys.js";
import { chooseTheme, storedTheme, THEMES } from "./theme.js";
import { lazyPart } from "../parts/read-state.js";

const PAGES = Object.entries(PAGE_NAMES) as [keyof typeof PAGE_NAMES, string][];

/** The page in the navigation that other pages belong to. */
const SECTIONS: Readonly<Record<string, string>> = { thread: "threads", checkpoint: "threads" };

/** The navigation, and which database the page shows. */
export function Header({ overview, page }: { readonly overview: Overview; readonly page: string }) {
  const section = SECTIONS[page] ?? page;
  return (
    <header class="top">
      <div class="top-content">
        <svg class="top-icon" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="7" />
          <path d="M9 6v20M9 12c0 5 14 1 14 8v6" />
          <path d="M9 8v0M23 25v0" class="top-icon-dots" />
        </svg>
        <nav aria-label="Pages">
          {PAGES.filter(([name]) => isThere(name, overview)).map(([name, title]) => (
            <a
              key={name}
              href={linkTo(name)}
              data-letter={PAGE_LETTERS[name]}
              aria-current={section === name ? (page === name ? "page" : true) : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <Where overview={overview} />
        <KeysButton />
        <ThemeChoice />
      </div>
    </header>
  );
}

/** Whether there is anything to show on a page. */
function isThere(page: string, { hasMemory, hasCache }: Overview): boolean {
  return (page !== "memory" || hasMemory) && (page !== "cache" || hasCache);
}

function Where({ overview: { database, schema, tenantId, may } }: { readonly overview: Overview }) {
  const facts = [
    ["Database", database],
    ["Schema", schema],
    ["Tenant", tenantId],
    ["Access", accessText(may)],
  ] as const;
  return (
    <dl class="where">
      {facts.map(
        ([name, text]) =>
          text !== undefined &&
          text !== "" && (
            <div key={name}>
              <dt>{name}</dt>
              <dd title={text}>
                <bdi>{text}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Lets the person choose a colour scheme. */
function ThemeChoice() {
  const [chosen, setChosen] = useState(storedTheme);
  return (
    <select
      class="theme"
      aria-label="Colours"
      value={chosen}
      onChange={({ currentTarget }) => {
        const theme = THEMES.find((name) => name === currentTarget.value) ?? "system";
        chooseTheme(theme);
        setChosen(theme);
      }}
    >
      {THEMES.map((theme) => (
        <option key={theme} value={theme}>
          {theme}
        </option>
      ))}
    </select>
  );
}

function accessText(may: Overview["may"]): string {
  const actions = PAGE_ACTIONS.filter((action) => may[action]);
  if (actions.length === PAGE_ACTIONS.length) return "all";
  return actions.length === 0 ? "read-only" : ["read", ...actions].join(", ");
}

const KeysDialog = lazyPart(
  "keys",
  "the keys",
  async () => (await import("./keys/keys-dialog.js")).KeysDialog,
);

/** Says that there are keys, and explains them. */
function KeysButton() {
  const keys = useKeys();
  return (
    <>
      <button
        type="button"
        class="keys-button"
        aria-haspopup="dialog"
        onClick={() => {
          keys.openHelp(true);
        }}
      >
        {keys.areOn ? (
          <>
            <kbd>?</kbd> <span class="keys-words">for keys</span>
          </>
        ) : (
          "Keys off"
        )}
      </button>
      {keys.isHelpOpen && <KeysDialog keys={keys} />}
    </>
  );
}
