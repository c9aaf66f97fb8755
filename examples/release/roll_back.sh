# Restores the previous version, and fails because there is no new release.
set -eu
rm -rf work/live
mv work/before work/live
echo "rolled back to $(cat work/live/version 2>/dev/null || echo nothing)"
exit 1
