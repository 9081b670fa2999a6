// The static files of the dashboard. Every page works without the script.

import { ICON, makeAsset, type Asset } from '../pages/assets';
import { DASHBOARD_SCRIPT } from './script';
import { DASHBOARD_STYLE } from './style';

export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['dashboard.css', makeAsset('text/css; charset=utf-8', DASHBOARD_STYLE)],
  ['dashboard.js', makeAsset('text/javascript; charset=utf-8', DASHBOARD_SCRIPT)],
  ['icon.svg', ICON],
]);

export function assetUrl(name: 'dashboard.css' | 'dashboard.js' | 'icon.svg'): string {
  return `/dashboard/assets/${name}?v=${ASSETS.get(name)!.version}`;
}
