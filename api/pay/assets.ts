// The static files of the pay page. The style is inside of the page, which then needs no second
// request, and works without the script.

import { ICON, readAsset, readStyle, type Asset } from '../../pages/assets';

export const PAY_STYLE = readStyle(__dirname, 'pay.css');

export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['pay.js', readAsset(__dirname, 'pay.js')],
  ['icon.svg', ICON],
]);

export function assetUrl(name: 'pay.js' | 'icon.svg'): string {
  return `/p/assets/${name}?v=${ASSETS.get(name)!.version}`;
}
