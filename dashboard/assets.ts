// The static files of the dashboard. Every page works without the script.

import { ICON, readAsset, readStyle, type Asset } from '../pages/assets';

export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['dashboard.css', readStyle(__dirname, 'dashboard.css')],
  ['dashboard.js', readAsset(__dirname, 'dashboard.js')],
  ['icon.svg', ICON],
]);

export function assetUrl(name: 'dashboard.css' | 'dashboard.js' | 'icon.svg'): string {
  return `/dashboard/assets/${name}?v=${ASSETS.get(name)!.version}`;
}
