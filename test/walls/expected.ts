import { type Column, type Family, type Standing } from './credentials';
import { type Outcome, type Row, walls } from './row';

/** The one correct outcome of a cell. */
export function expectedAt(row: Row, column: Column, route: string): Outcome {
  const method = route.slice(0, route.indexOf(' ')).toLowerCase();
  const special = column.at?.[row.wall];
  if (special !== undefined) return outcomeOf(row, special, column.family, route);
  if (row.wall === 'open') return row.own;
  const { families, transports } = walls[row.wall] as { families: readonly Family[]; transports: readonly string[] };
  if (column.family !== undefined && families.includes(column.family)) {
    const { standing } = column;
    const judged = typeof standing === 'function' ? standing(row, method) : standing;
    return outcomeOf(row, judged, column.family, route);
  }
  if (!transports.includes(column.transport)) return 'unauthenticated';
  // A credential recognisable as another kind, or as one that is sent elsewhere, does not count as one of the kind
  // asked for here. The metrics token has no prefix, and the metrics wall recognises none.
  const looksLike = column.looksLike ?? column.family;
  const isRecognised = looksLike !== undefined && looksLike !== 'metrics' && row.wall !== 'metrics';
  return isRecognised && !families.includes(looksLike as Family) ? 'unauthenticated' : 'invalid_token';
}

function outcomeOf(row: Row, standing: Standing, family: Family | undefined, route: string): Outcome {
  if (standing === 'own') return row.own;
  if (standing !== 'stranger' && standing !== 'sibling') return standing;
  const told = row[standing];
  const ofFamily = typeof told === 'object' ? family && told[family] : told;
  return ofFamily ?? (route.includes('{') ? 'resource_not_found' : row.own);
}
