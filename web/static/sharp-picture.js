// SPDX-License-Identifier: Apache-2.0
// The sharper picture of the page in a viewer, fetched once more is shown of the page than its usual picture has.

export class SharpPicture {
  usual = null;
  address = null;

  // A page's usual picture is in the sheet now; `address` of the sharper one, if there is one.
  begin(usual, address) {
    Object.assign(this, { usual, address });
  }

  // The page is shown so wide, in pixels of the style sheet.
  follow(width) {
    const { usual, address } = this;
    if (!address || !usual.naturalWidth || width * devicePixelRatio <= usual.naturalWidth) return;
    if (navigator.connection?.saveData) return;
    this.address = null;
    const sharp = new Image();
    sharp.className = "sharp";
    sharp.alt = "";
    sharp.draggable = false;
    sharp.src = address;
    // Laid over the usual one when it can be painted at once: nothing flashes, nothing moves.
    sharp.decode().then(() => {
      if (this.usual === usual && usual.isConnected) usual.after(sharp);
    }, () => {
      if (this.usual === usual) this.address = address;
    });
  }
}
