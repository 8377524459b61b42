/** What a person has typed, parsed. */
export interface ParsedTexts {
  readonly values: Readonly<Record<string, unknown>>;
  /** Why a text is not JSON, by channel. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Parses the texts of the edited channels. */
export function parseTexts(texts: Readonly<Record<string, string>>): ParsedTexts {
  const parsed = Object.entries(texts).map(([channel, text]) => ({ channel, ...parseText(text) }));
  return {
    values: Object.fromEntries(parsed.map(({ channel, value }) => [channel, value])),
    problems: Object.fromEntries(
      parsed.flatMap(({ channel, problem }) => (problem === undefined ? [] : [[channel, problem]])),
    ),
  };
}

function parseText(text: string): { readonly value?: unknown; readonly problem?: string } {
  if (text.trim() === "") return { problem: 'Give a value as JSON, such as "text", 1 or null.' };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : ""}` };
  }
}
