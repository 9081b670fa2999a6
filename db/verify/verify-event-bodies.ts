/** Whether the response stored as `k` tells `data`. */
export function answers(data: string): string {
  return `coalesce(json_or_null(k.body) @> jsonb_build_object(${data}), false)`;
}

/** Whether event `e` says what its row says, and `data` of what it tells. */
export function tells(data: string): string {
  return `coalesce(json_or_null(e.body) @> jsonb_build_object('id', e.id, 'type', e.type,
             'environment', e.environment, 'sequence', e.sequence,
             'created_at', instant(e.created_at), 'data', jsonb_build_object(${data})), false)`;
}
