/** A grey that is readable on white and on black. */
const INK = "#808080";

/** Creates an SVG without a background. */
export function svg(width: number, height: number, title: string, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" font-family="system-ui, sans-serif" font-size="12" role="img">
<title>${title}</title>
${parts.join("\n")}
</svg>
`;
}

/** Draws text that starts, ends or is centered at a position. */
export function text(
  x: number,
  y: number,
  words: string,
  anchor: "start" | "middle" | "end",
  weight: "normal" | "bold" = "normal",
): string {
  const heavy = weight === "bold" ? ` font-weight="bold" font-size="14"` : "";
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${INK}"${heavy}>${escapeXml(words)}</text>`;
}

/** Draws a filled rectangle. */
export function rect(x: number, y: number, width: number, height: number, color: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="2" fill="${color}"/>`;
}

/** Draws a thin line. */
export function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${INK}" stroke-opacity="0.35"/>`;
}

/** Draws lines from point to point. */
export function polyline(points: readonly (readonly [number, number])[], color: string): string {
  const places = points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
  return `<polyline points="${places}" fill="none" stroke="${color}" stroke-width="2"/>`;
}

/** Escapes text for XML. */
export function escapeXml(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
