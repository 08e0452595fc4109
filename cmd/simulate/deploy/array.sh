#!/bin/bash
#SBATCH --job-name=simulate
#SBATCH --array=1-64
#SBATCH --cpus-per-task=2
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x-%A-%a.log
#SBATCH --signal=B:TERM@60
# One shard of a campaign per task of a Slurm array; all tasks see one folder.
#
#   go build -o simulate ./cmd/simulate
#   OUT=D sbatch --array=1-64 cmd/simulate/deploy/array.sh run MX-1 --seeds 1-200000
#   ./simulate merge D --out whole
#
# A task that is started again continues its shard: scontrol requeue JOB_TASK. Some shards alone:
#   OUT=D REDLOCKLAB_SHARDS=64 sbatch --array=3,17 cmd/simulate/deploy/array.sh run MX-1 --seeds 1-200000
exec "${SIMULATE:-./simulate}" "$@" --out "${OUT:-out/campaign}" --workers "${SLURM_CPUS_PER_TASK:-1}"
