import ts from "typescript";
import type { Declaration } from "./declarations.js";

/**
 * Returns the names of the types whose values a caller makes: those of parameters, and of what a callback returns. A new required member
 * breaks such a caller, while one who only reads values gets one more.
 *
 * @param declarations - All declarations of an API by their names.
 */
export function givenTypes(declarations: ReadonlyMap<string, Declaration>): ReadonlySet<string> {
  const given = new Set<string>();
  const returned = new Set<string>();

  function visit(node: ts.Node, isGiven: boolean): void {
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const name = ts.isTypeReferenceNode(node) ? node.typeName.getText() : node.expression.getText();
      refer(name, isGiven);
    }
    node.forEachChild((child) => {
      visit(child, ts.isParameter(child) ? !isGiven : isGiven);
    });
  }

  function refer(name: string, isGiven: boolean): void {
    const seen = isGiven ? given : returned;
    const declaration = declarations.get(name);
    if (declaration === undefined || seen.has(name)) return;
    seen.add(name);
    for (const node of declaration.nodes) visit(node, isGiven);
  }

  for (const { isExported, nodes } of declarations.values())
    if (isExported)
      for (const node of nodes)
        if (!ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node)) visit(node, false);
  return given;
}
